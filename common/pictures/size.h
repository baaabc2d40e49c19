/* The size of a picture in print: the keys of the option --figure, and of `figure` in a study. */
#ifndef VEF_COMMON_PICTURES_SIZE_H
#define VEF_COMMON_PICTURES_SIZE_H

#include "common/config/config.h"
#include "common/pictures/picture.h"

extern const vef_param vef_picture_size_schema[];

/* Reads a mapping (NULL: the default), or the text "width=84mm,font=8" (NULL: likewise). */
vef_code vef_picture_size_get(const vef_node *node, vef_picture_size *size, vef_error *error);
vef_code vef_picture_size_read(const char *text, vef_picture_size *size, vef_error *error);

#endif
