//! Nothing: `run.sh` asks Cargo where the sources in the dependencies are.
