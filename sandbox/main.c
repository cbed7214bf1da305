/*
 * glovebox-sandbox - warden, template and box are one program
 *
 * Which of them a process is stands in its argv[0].  It is started by
 * glovebox or gloveboxctl (a warden) or by a warden (a template), never by
 * hand: it speaks only on descriptor 3.
 */
#include <stdio.h>
#include <string.h>

#include "sandbox/template.h"
#include "sandbox/warden.h"

int
main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[0], WARDEN_NAME) == 0)
        return warden_main(argv[1]);
    if (argc == 1 && strcmp(argv[0], TEMPLATE_NAME) == 0)
        return template_main();
    (void)fprintf(stderr, "glovebox-sandbox is started by glovebox; "
                          "to run one program: gloveboxctl run FILE\n");
    return 2;
}
