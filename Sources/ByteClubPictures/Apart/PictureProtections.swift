import CByteClubPictureWorker
internal import ByteClubMessages

/// The protections of a decoding process. Those that a kernel does not support are omitted.
public struct PictureProtections: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Memory, processor time, files, no core dump.
    public static let limits = PictureProtections(bit: BYTECLUB_PICTURE_LIMITS)
    public static let noNewPrivileges = PictureProtections(bit: BYTECLUB_PICTURE_NO_NEW_PRIVILEGES)
    /// Only system calls needed for decoding.
    public static let seccomp = PictureProtections(bit: BYTECLUB_PICTURE_SECCOMP)
    /// No file can be opened by path.
    public static let landlock = PictureProtections(bit: BYTECLUB_PICTURE_LANDLOCK)
    public static let diesWithProgram = PictureProtections(bit: BYTECLUB_PICTURE_DIES_WITH_PROGRAM)

    public static let all: PictureProtections = [
        .limits, .noNewPrivileges, .seccomp, .landlock, .diesWithProgram,
    ]

    /// Descriptions of the active protections, in the user's language.
    public var names: [String] {
        let names: [(PictureProtections, String)] = [
            (.limits, localized("limits of memory and time")),
            (.noNewPrivileges, localized("no new privileges")), (.seccomp, "seccomp"),
            (.landlock, "Landlock"), (.diesWithProgram, localized("ends with the program")),
        ]
        return names.filter { contains($0.0) }.map(\.1)
    }

    private init(bit: Int) { self.init(rawValue: UInt32(bit)) }
}
