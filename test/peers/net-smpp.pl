# A peer made of Net::SMPP, for tests: reads commands as lines of JSON from standard input, and prints every received
# PDU as a line of JSON to standard output. Bytes are written in hex.
#   perl net-smpp.pl client HOST PORT BIND SYSTEM_ID PASSWORD     BIND is transceiver, transmitter, or receiver
#   perl net-smpp.pl server HOST FORMAT                           FORMAT of the ids it assigns, such as %08X
# A command is {"send":"submit_sm","fields":{...},"bytes":{"short_message":"48656c6c6f"}}. TLVs are named.

use strict;
use warnings;
use IO::Select;
use JSON::PP;
use Net::SMPP;

$| = 1;
my ($role, $host, @rest) = @ARGV;
my $json = JSON::PP->new->canonical;
my $given = 0;
my ($listener, $peer, $id_format);
my $select = IO::Select->new(\*STDIN);

sub print_line { print $json->encode($_[0]), "\n" }

if ($role eq 'client') {
    my ($port, $bind, $system_id, $password) = @rest;
    $peer = Net::SMPP->new_connect($host, port => $port, async => 1) or die "cannot connect: $!";
    my $method = "bind_$bind";
    $peer->$method(system_id => $system_id, password => $password, async => 1);
    $select->add($peer);
} else {
    $id_format = $rest[0];
    $listener = Net::SMPP->new_listen($host, port => 0, async => 1) or die "cannot listen: $!";
    $select->add($listener);
    print_line({ port => $listener->sockport });
}

# The requests a peer must respond to, each with its own response and the same sequence number.
sub answer {
    my ($from, $name, $pdu) = @_;
    my %response = (seq => $pdu->{seq});
    if ($name =~ /^bind_/) { $response{system_id} = 'netsmpp'; $peer = $from }
    $response{message_id} = sprintf($id_format, ++$given) if $name eq 'submit_sm';
    $response{message_id} = '' if $name eq 'deliver_sm';
    my $method = "${name}_resp";
    $from->$method(%response);
    return $response{message_id};
}

sub take_pdu {
    my ($from) = @_;
    my $pdu = $from->read_pdu();
    if (!$pdu) {
        $select->remove($from);
        print_line({ closed => JSON::PP::true });
        exit 0 if $role eq 'client';
        return;
    }
    my $name = Net::SMPP::pdu_tab->{ $pdu->{cmd} }{cmd} // 'unknown';
    my %reported = (pdu => $name, status => $pdu->{status}, seq => $pdu->{seq});
    $reported{id} = answer($from, $name, $pdu) if $name !~ /_resp$|^generic_nack|^unknown/;
    for my $key (grep { /^[a-z_]+$/ && !/^(cmd|status|seq|data|reserved|known_pdu)$/ } keys %$pdu) {
        my $value = $pdu->{$key};
        next if !defined $value || ref $value;
        $reported{fields}{$key} = $key =~ /^(short_message|message_payload)$/ ? unpack('H*', $value) : $value;
    }
    $reported{tlvs}{$_} = unpack('H*', $pdu->{$_}) for grep { /^\d+$/ } keys %$pdu;
    print_line(\%reported);
}

# Not <STDIN>, which buffers lines that select cannot see.
my $input = '';

sub take_input {
    exit 0 if !sysread(STDIN, $input, 65536, length $input);
    take_command($1) while $input =~ s/^(.*)\n//;
}

sub take_command {
    my ($line) = @_;
    my $command = $json->decode($line);
    my $method = $command->{send};
    my %bytes = %{ $command->{bytes} // {} };
    my @fields = %{ $command->{fields} // {} };
    push @fields, map { $_ => pack('H*', $bytes{$_}) } keys %bytes;
    $peer->$method(@fields, async => 1);
}

while (1) {
    for my $ready ($select->can_read) {
        if ($ready == \*STDIN) { take_input() }
        elsif ($listener && $ready == $listener) { my $new = $listener->accept; $select->add($new) if $new }
        else { take_pdu($ready) }
    }
}
