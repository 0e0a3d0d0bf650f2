#include "dataset/build.h"
enum status dataset_build(const struct dataset_request *r, const struct dataset_listener *l, struct dataset_summary *s, struct error *err)
{ (void)r;(void)l;(void)s; return error_set(err, STATUS_UNSUPPORTED, "build", "being written"); }
