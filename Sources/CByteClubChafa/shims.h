/* chafa for Swift: one call from pixels to cells, so that GLib's types stay on this side. */
#ifndef BYTECLUB_CHAFA_SHIMS_H
#define BYTECLUB_CHAFA_SHIMS_H

#include <stdint.h>
#include <chafa.h>

typedef struct byteclub_chafa_cell {
    uint32_t glyph;     /* a Unicode scalar */
    int32_t foreground; /* 0xRRGGBB, or -1 for none */
    int32_t background;
} byteclub_chafa_cell;

/* Pixels in each direction that one of chafa's glyphs covers. */
#define BYTECLUB_CHAFA_CELL_SIDE 8

/* Chooses a glyph and two colours for each cell of `columns` x `rows`.
 *
 * `pixels` is RGBA8, tightly packed, exactly 8 x 8 pixels a cell: chafa 1.12's own scaling is slow,
 * so the caller scales. Preprocessing and dithering stay off (true colour needs neither), and the
 * glyphs are blocks, halves, quarters and eighths only: every terminal font has them, one cell wide.
 * Single-threaded by `byteclub_chafa_use_one_thread`.
 */
static inline void byteclub_chafa_render(
    const uint8_t *pixels, int columns, int rows, byteclub_chafa_cell *cells)
{
    ChafaSymbolMap *symbols = chafa_symbol_map_new();
    ChafaCanvasConfig *config = chafa_canvas_config_new();
    ChafaCanvas *canvas;
    const int width = columns * BYTECLUB_CHAFA_CELL_SIDE;
    const int height = rows * BYTECLUB_CHAFA_CELL_SIDE;

    chafa_symbol_map_add_by_tags(symbols, (ChafaSymbolTags)(CHAFA_SYMBOL_TAG_SPACE
        | CHAFA_SYMBOL_TAG_SOLID | CHAFA_SYMBOL_TAG_BLOCK | CHAFA_SYMBOL_TAG_HALF
        | CHAFA_SYMBOL_TAG_QUAD));
    chafa_symbol_map_remove_by_tags(symbols, (ChafaSymbolTags)(CHAFA_SYMBOL_TAG_STIPPLE
        | CHAFA_SYMBOL_TAG_LEGACY | CHAFA_SYMBOL_TAG_SEXTANT | CHAFA_SYMBOL_TAG_WEDGE));
    chafa_canvas_config_set_symbol_map(config, symbols);
    chafa_canvas_config_set_geometry(config, columns, rows);
    chafa_canvas_config_set_canvas_mode(config, CHAFA_CANVAS_MODE_TRUECOLOR);
    chafa_canvas_config_set_color_space(config, CHAFA_COLOR_SPACE_RGB);
    chafa_canvas_config_set_color_extractor(config, CHAFA_COLOR_EXTRACTOR_AVERAGE);
    chafa_canvas_config_set_dither_mode(config, CHAFA_DITHER_MODE_NONE);
    chafa_canvas_config_set_preprocessing_enabled(config, FALSE);
    chafa_canvas_config_set_transparency_threshold(config, 0.5f);
    chafa_canvas_config_set_work_factor(config, 0.5f);

    canvas = chafa_canvas_new(config);
    chafa_canvas_draw_all_pixels(
        canvas, CHAFA_PIXEL_RGBA8_UNASSOCIATED, pixels, width, height, width * 4);
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            byteclub_chafa_cell *cell = &cells[row * columns + column];
            gint foreground = -1, background = -1;
            cell->glyph = chafa_canvas_get_char_at(canvas, column, row);
            chafa_canvas_get_colors_at(canvas, column, row, &foreground, &background);
            cell->foreground = foreground;
            cell->background = background;
        }
    }
    chafa_canvas_unref(canvas);
    chafa_canvas_config_unref(config);
    chafa_symbol_map_unref(symbols);
}

/* Keeps chafa from making a thread per core for each picture. For the whole process; call once. */
static inline void byteclub_chafa_use_one_thread(void)
{
    chafa_set_n_threads(1);
}

#endif
