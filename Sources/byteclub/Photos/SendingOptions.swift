import ArgumentParser
import ClubAccess
import ByteClubPictures

/// Options for added photos; default to the settings.
struct SendingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The JPEG quality, from 0.1 (smallest) to 1.", valueName: "quality"))
    var quality: Double?

    @Flag(
        inversion: .prefixedNo,
        help: "Send photos unchanged, in any supported format, instead of re-encoding them.")
    var original: Bool?

    @Flag(inversion: .prefixedNo, help: "Keep the location where each photo was taken.")
    var keepLocation: Bool?

    func validate() throws {
        if let quality, !TransferSettings.photoQualities.contains(quality) {
            throw ValidationError("“\(quality)” is not a quality. Qualities go from 0.1 to 1.")
        }
        if quality != nil, original == true {
            throw ValidationError(
                "--quality re-encodes photos and --original does not. Choose one of them.")
        }
    }

    func preparation(_ settings: TransferSettings) -> PhotoPreparation {
        var preparation = settings.preparation
        if let quality {
            preparation.quality = quality
            preparation.keepsOriginal = false
        }
        if let original { preparation.keepsOriginal = original }
        if let keepLocation { preparation.keepsLocation = keepLocation }
        return preparation
    }
}
