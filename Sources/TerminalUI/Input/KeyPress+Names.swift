extension KeyPress {
    /// Parses a key's name: `n`, `G`, `^S`, `M-f`, `S-Tab`, `C-Left`, `F1`, `Space`, `Enter`, `Esc`.
    ///
    /// `C-` or `Ctrl+` is control, `M-` or `Alt+` alt, `S-` or `Shift+` shift; they may be combined, as in
    /// `C-S-Right`. `^x` is another spelling of `C-x`. Keys that terminals do not distinguish are equal:
    /// `C-i` is `Tab`, `S-n` is `N`. Nil for anything else, and for what no terminal can send (`C-1`,
    /// `C-S-f`).
    public init?(name: some StringProtocol) {
        var rest = Substring(name)
        var modifiers: Modifiers = []
        while let (modifier, length) = Self.modifier(before: rest) {
            modifiers.insert(modifier)
            rest = rest.dropFirst(length)
        }
        if rest.hasPrefix("^"), rest.unicodeScalars.count == 2 {
            modifiers.insert(.control)
            rest = rest.dropFirst()
        }
        let scalars = rest.unicodeScalars
        if let key = Self.named(rest.lowercased()) {
            self.init(key, modifiers)
        } else if let scalar = scalars.first, scalars.count == 1,
            let press = modifiers.contains(.control)
                ? Self.control(scalar, modifiers) : Self.plain(scalar, modifiers)
        {
            self = press
        } else {
            return nil
        }
    }

    /// The modifier prefix of a name and its length; nil if no key follows.
    private static func modifier(before name: Substring) -> (Modifiers, Int)? {
        let names: [(String, Modifiers)] = [
            ("c-", .control), ("m-", .alt), ("s-", .shift),
            ("ctrl+", .control), ("alt+", .alt), ("shift+", .shift),
        ]
        for (prefix, modifier) in names where name.count > prefix.count {
            // `C-` is a modifier, `c-` is not: it was never one.
            let isShort = prefix.count == 2
            let beginning = name.prefix(prefix.count)
            let isIt = isShort ? beginning == prefix.uppercased() : beginning.lowercased() == prefix
            if isIt { return (modifier, prefix.count) }
        }
        return nil
    }

    private static func plain(_ scalar: Unicode.Scalar, _ modifiers: Modifiers) -> KeyPress? {
        guard scalar.isTypeable else { return nil }
        guard modifiers.contains(.shift) else { return KeyPress(.character(scalar), modifiers) }
        guard scalar.uppercased != scalar else { return nil }
        return KeyPress(.character(scalar.uppercased), modifiers.subtracting(.shift))
    }

    /// The keys that C0 characters represent.
    private static func control(_ scalar: Unicode.Scalar, _ modifiers: Modifiers) -> KeyPress? {
        guard !modifiers.contains(.shift) else { return nil }
        let others = modifiers.subtracting(.control)
        switch scalar.lowercased {
        case "i": return KeyPress(.tab, others)
        case "j", "m": return KeyPress(.enter, others)
        case "h": return KeyPress(.backspace, others)
        case "[": return KeyPress(.escape, others)
        case "a"..."z", "\\", "]", "^", "_":
            return KeyPress(.character(scalar.lowercased), modifiers)
        default: return nil
        }
    }

    /// The key's name for footers and menus: `^S`, `Alt+Up`, `Ctrl+Left`, `Shift+Tab`, `↑`.
    public var displayName: String {
        switch key {
        case .up where modifiers.isEmpty: return "↑"
        case .down where modifiers.isEmpty: return "↓"
        case .left where modifiers.isEmpty: return "←"
        case .right where modifiers.isEmpty: return "→"
        case .character where modifiers == .control: return configurationName
        default:
            var prefix = ""
            if modifiers.contains(.control) { prefix += "Ctrl+" }
            if modifiers.contains(.alt) { prefix += "Alt+" }
            if modifiers.contains(.shift) { prefix += "Shift+" }
            return prefix + plainName
        }
    }

    /// The name that a configuration file uses.
    public var configurationName: String {
        var modifiers = modifiers
        var prefix = ""
        if case .character(let scalar) = key, modifiers == .control, scalar != " " {
            return "^" + String(scalar.uppercased)
        }
        if modifiers.remove(.control) != nil { prefix += "C-" }
        if modifiers.remove(.alt) != nil { prefix += "M-" }
        if modifiers.remove(.shift) != nil { prefix += "S-" }
        return prefix + plainName
    }

    private var plainName: String {
        switch key {
        case .character(" "): "Space"
        case .character(let scalar): String(scalar)
        case .enter: "Enter"
        case .tab: "Tab"
        case .backspace: "Backspace"
        case .escape: "Esc"
        case .insert: "Ins"
        case .delete: "Del"
        case .up: "Up"
        case .down: "Down"
        case .left: "Left"
        case .right: "Right"
        case .home: "Home"
        case .end: "End"
        case .pageUp: "PgUp"
        case .pageDown: "PgDn"
        case .function(let number): "F\(number)"
        }
    }

    private static func named(_ name: String) -> Key? {
        switch name {
        case "space": .character(" ")
        case "enter", "return": .enter
        case "tab": .tab
        case "backspace": .backspace
        case "esc", "escape": .escape
        case "ins", "insert": .insert
        case "del", "delete": .delete
        case "up", "↑": .up
        case "down", "↓": .down
        case "left", "←": .left
        case "right", "→": .right
        case "home": .home
        case "end": .end
        case "pgup", "pageup": .pageUp
        case "pgdn", "pagedown": .pageDown
        default: functionKey(name)
        }
    }

    private static func functionKey(_ name: String) -> Key? {
        guard name.hasPrefix("f"), let number = Int(name.dropFirst()), (1...63).contains(number)
        else { return nil }
        return .function(number)
    }
}

extension Unicode.Scalar {
    /// Whether it is typed without modifiers: a letter, a digit, a sign.
    fileprivate var isTypeable: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator, .spaceSeparator, .nonspacingMark, .enclosingMark, .spacingMark:
            false
        default: true
        }
    }

    /// Its lowercase form if that is one letter; otherwise itself.
    var lowercased: Unicode.Scalar { Self.only(properties.lowercaseMapping) ?? self }
    var uppercased: Unicode.Scalar { Self.only(properties.uppercaseMapping) ?? self }

    private static func only(_ text: String) -> Unicode.Scalar? {
        text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
    }
}
