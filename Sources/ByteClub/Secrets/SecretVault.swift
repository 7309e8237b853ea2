internal import ClubStore
internal import FoundationEssentials

/// Keeps a club's tokens among the secrets, wherever they were put when the person signed in.
struct SecretVault: TokenVault {
    let club: ClubSettings
    let book: ClubBook
    let secrets: Secrets

    func read() async throws(StoreError) -> DropboxTokens? {
        guard let place = book.secretPlace(of: club) else { return nil }
        do throws(SecretError) {
            guard let data = try await secrets.read(club.name, from: place) else { return nil }
            // One that cannot be read is as good as none: the person signs in again.
            return try? Self.decoder.decode(DropboxTokens.self, from: data)
        } catch {
            throw StoreError(.unauthorized, during: .connect, underlying: error)
        }
    }

    func write(_ tokens: DropboxTokens) async throws(StoreError) {
        // Signed out meanwhile: what nobody is to have is not kept.
        guard let place = book.secretPlace(of: club) else { return }
        do throws(SecretError) {
            _ = try await secrets.write(
                Self.encode(tokens), account: club.name, label: "Byte Club: \(club.name)", to: place
            )
        } catch {
            throw StoreError(.fileUnwritable, during: .connect, underlying: error)
        }
    }

    static func encode(_ tokens: DropboxTokens) -> Data {
        guard let data = try? encoder.encode(tokens) else {
            preconditionFailure("tokens are texts and a date")
        }
        return data
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = .sortedKeys
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return decoder
    }
}
