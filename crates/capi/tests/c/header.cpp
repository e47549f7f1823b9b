// SPDX-License-Identifier: Apache-2.0
// The header in a C++ program: it compiles, its macros too, and it links by C names.
#include <garner.h>

#include <cstdio>
#include <string>

int main()
{
    garner_config config = GARNER_CONFIG_INIT;
    garner_device device = GARNER_DEVICE_INIT;
    garner_statistics figures = GARNER_STATISTICS_INIT;
    garner_operation operation = GARNER_OPERATION_INIT;
    garner *gatherer = nullptr;

    if (config.size != sizeof config || operation.size != sizeof operation)
        return 1;
    if (garner_new(&config, &gatherer) != GARNER_OK || garner_device_get(0, &device) != GARNER_OK ||
        garner_statistics_get(gatherer, &figures) != GARNER_OK || garner_run(gatherer, &operation, 1) == GARNER_OK ||
        garner_free(gatherer) != GARNER_OK) {
        std::fprintf(stderr, "%s\n", garner_last_error());
        return 1;
    }
    return std::string(garner_version()).empty() ? 1 : 0;
}
