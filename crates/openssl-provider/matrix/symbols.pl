#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# The linker's version script for a shared library of OpenSSL, from its list of symbols (util/*.num): in the place of
# OpenSSL's util/mkdef.pl, which crate openssl-src leaves out, and called with its options.
use strict;
use warnings;
use Getopt::Long qw(:config pass_through);

my $ordinals;
GetOptions('ordinals=s' => \$ordinals) && $ordinals or die "symbols.pl: --ordinals FILE is missing\n";
open my $list, '<', $ordinals or die "symbols.pl: $ordinals: $!\n";
my %symbols;
while (<$list>) {
    # Name, number, version with _ for dots or *, and whether it exists, on which systems, as what, for which features.
    my ($name, undef, $version, $existence) = split;
    push @{$symbols{$version}}, $name if defined $existence && $existence =~ /^EXIST:/;
}

sub number { my ($major, $minor, $patch) = split /_/, $_[0]; return $major * 1e6 + $minor * 1e3 + $patch }
my @versions = $symbols{'*'} ? ('*') : sort { number($a) <=> number($b) } keys %symbols;
my $before = '';
for my $version (@versions) {
    my $node = $version eq '*' ? '' : 'OPENSSL_' . $version =~ tr/_/./r;
    print "$node {\n    global:\n", map("        $_;\n", @{$symbols{$version}});
    # What is not listed stays inside.
    print "    local: *;\n" unless $before;
    print '}', $before && " $before", ";\n";
    $before = $node;
}
