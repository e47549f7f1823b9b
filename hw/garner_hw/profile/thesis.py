# SPDX-License-Identifier: Apache-2.0
"""What Ramesh 2020 prints in chapter 2: mbedTLS, RSA-2048, e = 65537."""

# Table 2.1: milliseconds an operation, by platform
PLATFORMS = ("Intel i5-4210U", "Raspberry Pi 3B+", "Nios II")
TIMES = {"keygen": (251.99, 9453.68, 102100.0), "decrypt": (5.73, 93.76, 2621.0), "encrypt": (0.47, 3.73, 95.0)}
# Table 2.2: primality tests a key, Intel and Raspberry Pi
TESTS_PER_KEY = (115.15, 114.672)
# Table 2.3: per cent of key generation that is prime generation
PRIME_GENERATION = (99.48, 99.68, 99.56)
# Section 2.5: per cent of the calls of mpi_mul_hlp that mpi_montmul makes: the text's, Intel and Raspberry Pi
MONTMUL_CALLS = (99.74, 96.15)
# Table 2.4: per cent of key generation, inclusive and self: Intel, then Raspberry Pi
FUNCTIONS = {
    "mbedtls_rsa_gen_key": ((100, 0), (99.6, 2.66e-5)),
    "mbedtls_mpi_gen_prime": ((99.5, 10.5e-4), (99, 7.45e-4)),
    "mbedtls_mpi_is_prime": ((98.7, 10.5e-4), (98.6, 2.4e-4)),
    "mpi_miller_rabin": ((96.8, 0), (98.3, 7.45e-4)),
    "mbedtls_mpi_exp_mod": ((96.4, 0.23), (96.3, 0.052)),
    "mpi_mul_hlp": ((92.8, 92.8), (94.8, 94.8)),
    "mpi_montmul": ((95.8, 1.41), (94.3, 1.74)),
    "mbedtls_mpi_div_mpi": ((0.6, 0.015), (4, 0.013)),
    "mbedtls_mpi_mod_mpi": ((0.6, 0), (4, 1.32e-4)),
    "mbedtls_mpi_mul_mpi": ((0.3, 0.029), (3.8, 0.042)),
    "mbedtls_mpi_mul_int": ((0.3, 0.008), (3.7, 0.002)),
    "mpi_sub_hlp": ((1.7, 1.7), (1.4, 1.4)),
    "mpi_check_small_factors": ((1.9, 0.013), (0.3, 0.005)),
    "mbedtls_mpi_mod_int": ((1.8, 1.8), (0.2, 0.2)),
}
# Functions of 2.28 that the thesis's release called otherwise
RENAMED = {"mbedtls_mpi_is_prime": "mbedtls_mpi_is_prime_ext"}
# Functions of 2.28 that assign in constant time; table 2.4 has none of them
LATER = ("mbedtls_ct_mpi_uint_cond_assign", "mbedtls_mpi_safe_cond_assign", "mpi_select", "mbedtls_ct_uint_if")
