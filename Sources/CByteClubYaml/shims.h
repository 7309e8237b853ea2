#ifndef BYTECLUB_CYAML_SHIMS_H
#define BYTECLUB_CYAML_SHIMS_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

// A YAML text taken apart into events. The parser points into itself, so it lives on the heap.
typedef struct {
    yaml_parser_t parser;
    yaml_event_t event;
} byteclub_yaml;

// Begins to read a text in UTF-8, which must stay where it is. NULL when memory is exhausted.
static inline byteclub_yaml *_Nullable byteclub_yaml_open(
    const unsigned char *_Nonnull text, size_t count) {
    byteclub_yaml *yaml = calloc(1, sizeof *yaml);
    if (!yaml) return NULL;
    if (!yaml_parser_initialize(&yaml->parser)) {
        free(yaml);
        return NULL;
    }
    yaml_parser_set_encoding(&yaml->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&yaml->parser, text, count);
    return yaml;
}

// Reads the next event. 0 when the text is not valid YAML.
static inline int byteclub_yaml_next(byteclub_yaml *_Nonnull yaml) {
    yaml_event_delete(&yaml->event);
    return yaml_parser_parse(&yaml->parser, &yaml->event);
}

static inline yaml_event_type_t byteclub_yaml_type(const byteclub_yaml *_Nonnull yaml) {
    return yaml->event.type;
}

// Where the event begins, counted from 0.
static inline size_t byteclub_yaml_line(const byteclub_yaml *_Nonnull yaml) {
    return yaml->event.start_mark.line;
}
static inline size_t byteclub_yaml_column(const byteclub_yaml *_Nonnull yaml) {
    return yaml->event.start_mark.column;
}

static inline const unsigned char *_Nullable byteclub_yaml_scalar(
    const byteclub_yaml *_Nonnull yaml, size_t *_Nonnull count) {
    *count = yaml->event.data.scalar.length;
    return yaml->event.data.scalar.value;
}
static inline int byteclub_yaml_scalar_is_plain(const byteclub_yaml *_Nonnull yaml) {
    return yaml->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}
static inline int byteclub_yaml_mapping_is_flow(const byteclub_yaml *_Nonnull yaml) {
    return yaml->event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
}

// What is wrong with the text, and in which line, counted from 0.
static inline const char *_Nullable byteclub_yaml_problem(const byteclub_yaml *_Nonnull yaml) {
    return yaml->parser.problem;
}
static inline size_t byteclub_yaml_problem_line(const byteclub_yaml *_Nonnull yaml) {
    const yaml_parser_t *parser = &yaml->parser;
    if (parser->error == YAML_READER_ERROR) {
        // A byte that may not stand in YAML: only how far into the text it stands is known.
        size_t line = 0;
        const unsigned char *text = parser->input.string.start;
        for (size_t i = 0; i < parser->problem_offset && text + i < parser->input.string.end; i++) {
            line += text[i] == '\n';
        }
        return line;
    }
    // What never ends, a quotation or a bracket, is noticed further on: what matters is where it began.
    const char *context = parser->context ? parser->context : "";
    if (strstr(context, "quoted scalar") || strstr(context, "flow ")) return parser->context_mark.line;
    return parser->problem_mark.line;
}

static inline void byteclub_yaml_close(byteclub_yaml *_Nonnull yaml) {
    yaml_event_delete(&yaml->event);
    yaml_parser_delete(&yaml->parser);
    free(yaml);
}

#endif
