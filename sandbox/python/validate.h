/*
 * validate - does the program keep to the restricted language?
 *
 * One walk (walk.h) over the tree that will be compiled, by the rules of
 * rules.c, put into the words of the contract.
 */
#ifndef GLOVEBOX_VALIDATE_H
#define GLOVEBOX_VALIDATE_H

#include "sandbox/python/program.h"
#include "sandbox/wire/claim.h"

/*
 * Check and rewrite.  0; or -1 with the first refusal, in the contract's
 * order, in *claim (kind, type: the rule's name, message, line, column, and
 * in `traceback` a sentence on what to do instead).
 */
int validate_program(
    struct program *p, uint32_t max_nodes, struct claim *claim);

/*
 * All refusals as a JSON array of {line, column, rule, message} in `room`;
 * the tree is of no use afterwards.  Returns the length.
 */
size_t validate_findings(
    struct program *p, uint32_t max_nodes, char *room, size_t size);

/* One such finding that the parser made, from the claim about it. */
size_t validate_one_finding(const struct claim *c, char *room, size_t size);

#endif
