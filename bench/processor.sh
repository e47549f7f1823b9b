# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts beside it: `processor` is what the names of their data begin with, so that no processor's data take
# another's place. PROCESSOR, where it is set, is taken instead. sunny-cove- are Xeons of the 3rd generation, golden-cove- those
# of the 4th and 5th, redwood-cove- those of the 6th, zen-5- AMD's Zen 5; nothing stands for other processors with AVX-512 IFMA
# (Zen 4), avx2- for those without.
# shellcheck shell=sh
processor=avx2-
grep -q avx512ifma /proc/cpuinfo && processor=
case $(awk -F: '$1 ~ /^(vendor_id|cpu family|model)[ \t]*$/ { printf "%s", $2 } /^$/ { exit }' /proc/cpuinfo) in
*GenuineIntel\ 6\ 106 | *GenuineIntel\ 6\ 108) processor=sunny-cove- ;;
*GenuineIntel\ 6\ 143 | *GenuineIntel\ 6\ 207) processor=golden-cove- ;;
*GenuineIntel\ 6\ 173 | *GenuineIntel\ 6\ 174) processor=redwood-cove- ;;
*AuthenticAMD\ 26\ *) processor=zen-5- ;;
esac
processor=${PROCESSOR-$processor}
