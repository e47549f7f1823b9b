/* SPDX-License-Identifier: Apache-2.0 */
/* Names the devices and makes a gatherer of all of them, both of which variables of the environment may decide. */
#include <garner.h>
#include <stdio.h>

int main(void)
{
    garner *gatherer;
    garner_device device = { .size = sizeof device };

    for (size_t i = 0; garner_device_get(i, &device) == GARNER_OK; i++)
        printf("%s\n", device.name);
    if (garner_new(NULL, &gatherer) != GARNER_OK) {
        fprintf(stderr, "%s\n", garner_last_error());
        return 1;
    }
    return garner_free(gatherer) == GARNER_OK ? 0 : 1;
}
