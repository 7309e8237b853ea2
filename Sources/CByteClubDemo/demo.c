#include "CByteClubDemo.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char courses[] = {
#embed "../../Resources/Demo/courses.json"
};

static const unsigned char swift[] = {
#embed "../../Resources/Demo/swift.html"
};

static const unsigned char terminals[] = {
#embed "../../Resources/Demo/terminals.html"
};

static const unsigned char networking[] = {
#embed "../../Resources/Demo/networking.html"
};

static const unsigned char members[] = {
#embed "../../Resources/Demo/members.html"
};

static const unsigned char cells[] = {
#embed "../../Resources/Demo/cells.png"
};

static const nerdfeed_demo_file files[] = {
    {"/courses.json", "application/json", courses, sizeof courses},
    {"/swift", "text/html; charset=utf-8", swift, sizeof swift},
    {"/terminals", "text/html; charset=utf-8", terminals, sizeof terminals},
    {"/networking", "text/html; charset=utf-8", networking, sizeof networking},
    {"/members", "text/html; charset=utf-8", members, sizeof members},
    {"/cells.png", "image/png", cells, sizeof cells},
};

size_t nerdfeed_demo_file_count(void)
{
    return sizeof files / sizeof files[0];
}

nerdfeed_demo_file nerdfeed_demo_file_at(size_t index)
{
    return files[index];
}
