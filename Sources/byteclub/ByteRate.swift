import ArgumentParser
import ByteClub
import ClubAccess

extension ByteRate: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(argument)
    }
}
