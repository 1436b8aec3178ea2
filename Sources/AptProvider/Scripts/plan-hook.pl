# apt runs this program while it simulates, as a hook of its protocol of JSON messages
# (`AptCli::Hooks::Install`): `perl FILE REPORT`. Each message is a line, then an empty line.
#
# Answers apt's greeting, and appends each message that lists packages, or says why there is none,
# to REPORT as a line. Whoever started apt reads that file; a report without a list is an error
# there, so this program needs no error messages.

use strict;
use warnings;

open(my $apt, '+<&=', $ENV{APT_HOOK_SOCKET} // die) or die;
open(my $report, '>>', $ARGV[0]) or die;
while (defined(my $message = <$apt>)) {
    last unless defined(my $empty = <$apt>);
    if ($message =~ /"method":"org\.debian\.apt\.hooks\.hello"/) {
        syswrite($apt, qq({"jsonrpc":"2.0","id":0,"result":{"version":"0.2"}}\n\n)) or die;
    } elsif ($message =~ /"method":"org\.debian\.apt\.hooks\.install\.(package-list|fail)"/) {
        print {$report} $message or die;
    } elsif ($message =~ /"method":"org\.debian\.apt\.hooks\.bye"/) {
        last;
    }
}
close($report) or die;
