/*
 * ctl - gloveboxctl, the operator's command
 *
 * A table of verbs (main.c), one file for each that is more than a line.  A
 * verb gets its own arguments, argv[0] being its name, and returns the exit
 * status of the program.
 */
#ifndef GLOVEBOX_CTL_H
#define GLOVEBOX_CTL_H

#define CTL_OK 0
#define CTL_FAILED 1 /* what was run or looked at is not well */
#define CTL_NOT_DONE 2 /* could not be done, or was asked for wrongly */

typedef int ctl_verb(int argc, char **argv);

ctl_verb ctl_audit;
ctl_verb ctl_check;
ctl_verb ctl_mcp;
ctl_verb ctl_run;
ctl_verb ctl_settings;
ctl_verb ctl_token;

#endif
