/* SPDX-License-Identifier: Apache-2.0 */
/* Gatherers and their settings, and what is reported of devices and of them. */
#include "misuse.h"

void gatherers(void)
{
    garner_config config = GARNER_CONFIG_INIT;
    struct {
        garner_config known;
        size_t later;
    } newer = { GARNER_CONFIG_INIT, 0 };
    garner *gatherer = NULL;

    EXPECT(GARNER_ERR_NULL, garner_new(NULL, NULL));
    config.size = sizeof config - 1;
    EXPECT(GARNER_ERR_ARGUMENT, garner_new(&config, &gatherer));
    config.size = 0;
    EXPECT(GARNER_ERR_ARGUMENT, garner_new(&config, &gatherer));
    config.size = SIZE_MAX;
    EXPECT(GARNER_ERR_ARGUMENT, garner_new(&config, &gatherer));
    config.size = sizeof config;
    config.device = "no such device";
    EXPECT(GARNER_ERR_ARGUMENT, garner_new(&config, &gatherer));
    EXPECT_TRUE(strstr(garner_last_error(), "no such device") != NULL);
    config.device = "vfio-user:/no/board";
    EXPECT(GARNER_ERR_ARGUMENT, garner_new(&config, &gatherer));
    EXPECT_TRUE(strstr(garner_last_error(), "/no/board") != NULL);
    config.device = "";
    EXPECT(GARNER_ERR_ARGUMENT, garner_new(&config, &gatherer));
    config.device = NULL;
    config.slots = SIZE_MAX;
    EXPECT(GARNER_ERR_ARGUMENT, garner_new(&config, &gatherer));
    EXPECT_TRUE(gatherer == NULL);

    newer.known.size = sizeof newer;
    newer.later = 1;
    EXPECT(GARNER_ERR_ARGUMENT, garner_new(&newer.known, &gatherer));
    newer.later = 0;
    EXPECT(GARNER_OK, garner_new(&newer.known, &gatherer));
    EXPECT(GARNER_OK, garner_free(gatherer));
    EXPECT(GARNER_ERR_HANDLE, garner_free(gatherer));
    EXPECT(GARNER_ERR_HANDLE, garner_free((garner *)key));
    EXPECT(GARNER_ERR_HANDLE, garner_free(wild()));
    EXPECT(GARNER_OK, garner_free(NULL));

    size_t size = SIZE;
    EXPECT(GARNER_ERR_HANDLE, garner_sign(gatherer, key, GARNER_SHA256, message, 1, signature, &size));

    config = (garner_config)GARNER_CONFIG_INIT;
    config.device = "libcrypto";
    config.slots = 1;
    config.queue_limit = 1;
    EXPECT(GARNER_OK, garner_new(&config, &gatherer));
    EXPECT(GARNER_OK, garner_sign(gatherer, key, GARNER_SHA256, message, 1, signature, &size));
    EXPECT(GARNER_OK, garner_free(gatherer));
}

void reports(void)
{
    garner_device device = GARNER_DEVICE_INIT;
    garner_statistics figures = GARNER_STATISTICS_INIT;
    struct {
        garner_statistics known;
        uint64_t later;
    } newer = { GARNER_STATISTICS_INIT, 1 };
    size_t count = 0;

    EXPECT(GARNER_ERR_NULL, garner_device_count(NULL));
    EXPECT(GARNER_OK, garner_device_count(&count));
    EXPECT_TRUE(count > 0);
    EXPECT(GARNER_ERR_NULL, garner_device_get(0, NULL));
    EXPECT(GARNER_ERR_ARGUMENT, garner_device_get(count, &device));
    EXPECT(GARNER_ERR_ARGUMENT, garner_device_get(SIZE_MAX, &device));
    device.size--;
    EXPECT(GARNER_ERR_ARGUMENT, garner_device_get(0, &device));

    EXPECT(GARNER_ERR_NULL, garner_statistics_get(NULL, NULL));
    EXPECT(GARNER_ERR_HANDLE, garner_statistics_get((garner *)modulus, &figures));
    figures.size = 8;
    EXPECT(GARNER_ERR_ARGUMENT, garner_statistics_get(NULL, &figures));
    newer.known.size = sizeof newer;
    EXPECT(GARNER_OK, garner_statistics_get(NULL, &newer.known));
    EXPECT_TRUE(newer.known.size == sizeof figures && newer.later == 0);

    for (int status = -1000; status < 1000; status++)
        EXPECT_TRUE(garner_error_string(status)[0] != '\0');
    EXPECT_TRUE(garner_version()[0] != '\0');
}
