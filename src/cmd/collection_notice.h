/* SPDX-License-Identifier: MIT
 *
 * What a collection tells its caller: through the request's callbacks, else through base/message.h. */
#ifndef CMD_COLLECTION_NOTICE_H
#define CMD_COLLECTION_NOTICE_H

#include "cmd/collection.h"

void collection_warn(const struct collection_request *request, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void collection_inform(const struct collection_request *request, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
