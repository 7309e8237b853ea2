package import ClubStore
package import FoundationEssentials

/// How the authorization code reaches this program: a browser redirect to this computer, or a code that the
/// user copies.
package enum DropboxAuthorization {
    /// The port of the redirect URI. Dropbox redirects only to URIs that the app's owner has
    /// registered, including the port, so it is always the same.
    package static let registeredPort: UInt16 = 53_117

    /// Waits for the browser.
    package struct ByBrowser: Sendable {
        package let signIn: DropboxOAuth
        private let answer: LoopbackAnswer

        /// The URL to open in the browser. It redirects to the page, once: the page's own address contains
        /// secrets of this sign-in, and every user of this computer can read a program's arguments.
        package var entrance: URL { answer.entrance }

        /// Starts listening.
        ///
        /// - Parameter port: No other is tried if it is taken: with a gateway, too, the page is Dropbox's.
        package init(
            _ app: DropboxApp, port: UInt16 = DropboxAuthorization.registeredPort
        ) throws(SignInError) {
            do throws(LoopbackError) {
                answer = try LoopbackAnswer(port: port)
            } catch {
                throw .noAnswer(error)
            }
            signIn = DropboxOAuth(app: app, redirect: answer.redirect)
        }

        /// - Returns: The code from the browser's request.
        @concurrent package func code() async throws(SignInError) -> String {
            let query: String
            do throws(LoopbackError) {
                query = try await answer.wait(
                    leadingTo: signIn.authorizationURL, where: signIn.isOwnRedirect)
            } catch {
                throw .noAnswer(error)
            }
            do throws(OAuthError) {
                return try signIn.code(fromRedirect: query)
            } catch {
                throw .signIn(error)
            }
        }
    }
}
