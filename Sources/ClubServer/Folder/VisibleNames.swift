import DropboxAPI

/// Which names the files of one folder have for others.
///
/// A disk keeps `Note.txt` beside `note.txt`, and one name in two normalisation forms; the API
/// cannot. The first in the order of bytes keeps its name; the others are shown as `note (Case
/// Conflict).txt`, so that nobody's file is hidden. The same names always lead to the same result.
enum VisibleNames {
    struct Assignment: Hashable, Sendable {
        let diskName: String
        /// As others see it, in Normalisation Form C.
        let name: String
        /// The last component of its key.
        let key: String
    }

    static func assign(_ diskNames: [String]) -> [Assignment] {
        let sorted = diskNames.sorted(by: ByteOrder.isBefore)
        var taken: Set<String> = []
        var result: [Assignment] = []
        var late: [String] = []
        for diskName in sorted {
            let name = PathNames.normalized(diskName)
            let key = PathNames.key(name)
            if taken.insert(key).inserted {
                result.append(Assignment(diskName: diskName, name: name, key: key))
            } else {
                late.append(diskName)
            }
        }
        for diskName in late {
            let plain = PathNames.normalized(diskName)
            var number = 1
            var name = NameRules.caseConflict(of: plain, number)
            while !taken.insert(PathNames.key(name)).inserted {
                number += 1
                name = NameRules.caseConflict(of: plain, number)
            }
            result.append(
                Assignment(diskName: diskName, name: name, key: PathNames.key(name)))
        }
        return result
    }
}
