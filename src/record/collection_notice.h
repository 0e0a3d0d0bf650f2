/* SPDX-License-Identifier: MIT
 *
 * What a collection tells its caller: through the request's callbacks, else through base/message.h. */
#ifndef RECORD_COLLECTION_NOTICE_H
#define RECORD_COLLECTION_NOTICE_H

#include "record/collection.h"

void collection_warn(const struct collection_request *request, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void collection_inform(const struct collection_request *request, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
