# SPDX-License-Identifier: Apache-2.0
# Runs the stage that the kernel's command line names; init starts it in a session of keys.
for file in common aes all demo faults; do
    . /stages/$file.sh
done

say kernel "$(uname -r), up for $(cut -d ' ' -f 1 /proc/uptime) s, $(nproc) processors"
insmod /modules/pkcs8_key_parser.ko || end fail "module pkcs8_key_parser"
key=$(keyctl padd asymmetric signer @s </key.p8) || end fail "keyctl padd"
find_board
[ ! -e $leaks ] || { echo scan >$leaks && echo clear >$leaks; }
stage=$(sed 's/.*stage=\([a-z_]*\).*/\1/' /proc/cmdline)
$stage
complaints
end done "up for $(cut -d ' ' -f 1 /proc/uptime) s"
