import Testing

@testable import ByteClub
@testable import ClubAccess

@Suite struct TypedPathTests {
    @Test(arguments: [
        ("", "/data/photos"),
        ("a.jpg", "/data/photos/a.jpg"),
        ("./a.jpg", "/data/photos/a.jpg"),
        ("../a.jpg", "/data/a.jpg"),
        ("../../../..", "/"),
        ("/abs//x/./a.jpg", "/abs/x/a.jpg"),
        ("~", "/home/ana"),
        ("~/pano/a.jpg", "/home/ana/pano/a.jpg"),
        ("~//data/a.jpg", "/data/a.jpg"),
        ("'/with space/a b.jpg'", "/with space/a b.jpg"),
        ("\"/with space/a b.jpg\" ", "/with space/a b.jpg"),
        ("/with\\ space/a\\'b.jpg", "/with space/a'b.jpg"),
        ("file:///with%20space/%C3%A9.jpg", "/with space/é.jpg"),
        ("file://localhost/a.jpg", "/a.jpg"),
        ("~other/a.jpg", "/data/photos/~other/a.jpg"),
    ])
    func resolves(typed: String, path: String) {
        #expect(TypedPath.resolve(typed, in: "/data/photos", home: "/home/ana") == path)
    }

    @Test(
        arguments: [
            ("ha", ["harbour.jpg", "harvest.jpg", "sea.jpg"], "har"),
            ("harb", ["harbour.jpg", "harvest.jpg"], "harbour.jpg"),
            ("HA", ["harbour.jpg"], nil),
            ("ha", ["Harbour.jpg"], "Harbour.jpg"),
            ("x", ["harbour.jpg"], nil),
            ("", ["one", "only"], "on"),
        ] as [(String, [String], String?)])
    func completes(prefix: String, names: [String], expected: String?) {
        #expect(TypedPath.completion(of: prefix, among: names) == expected)
    }
}
