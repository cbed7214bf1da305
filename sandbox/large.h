/*
 * large - code and constants of this program on large pages
 *
 * A box maps the pages of code that it needs one after the other, sixteen at
 * a time: half of all page faults of a short program, and as many entries to
 * take apart at its end.  A template that serves moves its own code and
 * constants into pages of 2 MiB, which its boxes map with one fault each.
 *
 * The pages are those of a sealed memory file, mapped privately and never
 * writable: a box that could write there would write into a copy of its own.
 * No address changes, and none is less random: the program is linked with gaps
 * beside these segments (sandbox/large.ld), so a large page may begin below the
 * segment and end above it, wherever the kernel has put the program.
 *
 * Costs 6 to 10 MiB of memory for each process that does so, shared with its
 * children; so spare templates do not.
 */
#ifndef GLOVEBOX_LARGE_H
#define GLOVEBOX_LARGE_H

/*
 * Move what is mapped read-only of this program.  For a process with one
 * thread.  Returns 0, or -errno, and then what has not been moved is as it
 * was: the kernel has no large pages for us (before Linux 6.1), or something
 * is mapped in the gaps.
 */
int large_move(void);

/* Map all large pages there are, so that boxes have the same size at their
 * start, whatever of the program they need. */
void large_touch(void);

#endif
