// Which symbols fold to which GSM-7 text. Based on the list that Twilio publishes as Smart Encoding, with its
// errors corrected: a space becomes one space and not two, a tab one and not seven, a vertical comma a comma, and
// combining marks stay, because `a^` is not `â`. Letters keep their meaning: `ç á í ó ú` are not folded to `c a i o
// u`. Full-width ASCII is computed in folding.ts.

/** Each row: the replacement, and the characters (one UTF-16 unit each) that become it. */
export const FOLDING_GROUPS: ReadonlyArray<readonly [to: string, characters: string]> = [
  // The C1 controls. If one is a misread Windows-1252 byte for a quote, dash, or bullet, the row for that below
  // wins.
  [' ', unitsBetween(0x80, 0x9f)],
  ['"', '\u0093\u0094'],
  ["'", '\u0091\u0092'],
  ['-', '\u0095\u0096\u0097'],

  // Quotes, primes, and apostrophes. The back-tick is ASCII, but not in GSM-7.
  ['"', '«»“”„‟ʺˮ″‶❝❞❠〝〞〟⹂'],
  ["'", '‘’‛ʹʻʼʽˈˊˋ´`′‵❛❜'],
  ["'''", '‴'],
  [',', '‚❟、﹐﹑､︐︑'],
  ['<', '‹﹤'],
  ['>', '›﹥'],

  // Dashes and bullets.
  ['-', '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u23bc\u23bd\ufe58\ufe63'],
  ['--', '\u2e3a'],
  ['---', '\u2e3b'],
  ['-', '\u00b7\u2022\u2023\u2027\u2043\u204c\u204d\u2219\u25aa\u25ab\u25cf\u25e6'],

  // Points.
  ['.', '․。﹒｡︒'],
  ['..', '‥'],
  ['...', '…⋯︙'],
  [':', 'ːˑ˸∶⦂꞉﹕︓'],
  [';', '⁏﹔︔\u037e'],
  ['!', 'ǃ﹗︕'],
  ['!!', '‼'],
  ['!?', '⁉'],
  ['?', '﹖︖'],
  ['?!', '⁈‽'],
  ['??', '⁇'],

  // Fractions and other small expressions.
  ['1/4', '¼'],
  ['1/2', '½'],
  ['3/4', '¾'],
  ['1/7', '⅐'],
  ['1/9', '⅑'],
  ['1/10', '⅒'],
  ['1/3', '⅓'],
  ['2/3', '⅔'],
  ['1/5', '⅕'],
  ['2/5', '⅖'],
  ['3/5', '⅗'],
  ['4/5', '⅘'],
  ['1/6', '⅙'],
  ['5/6', '⅚'],
  ['1/8', '⅛'],
  ['3/8', '⅜'],
  ['5/8', '⅝'],
  ['7/8', '⅞'],
  ['0/3', '↉'],
  ['/', '÷⁄∕⧸'],
  ['x', '×'],
  ['+', '˖﹢'],
  ['=', '꞊﹦'],
  ['~', '˜˷∼〜'],
  ['^', 'ˆ'],

  // Brackets, lines, and other keyboard symbols.
  ['(', '❨❪﹙⟮⦅'],
  [')', '❩❫﹚⟯⦆'],
  ['[', '【﹝'],
  [']', '】﹞'],
  ['{', '❴﹛'],
  ['}', '❵﹜'],
  ['|', '∣⎸⎹⏐⎜⎟'],
  ['\\', '⧹⧵﹨'],
  ['_', '‗'],
  ['@', '﹫'],
  ['$', '﹩'],
  ['£', '￡'],
  ['¥', '￥'],
  ['#', '﹟'],
  ['%', '﹪'],
  ['&', '﹠'],
  ['*', '⁎∗⊛✢✣✤✥✱✲✳✺✻✼✽❃❉❊❋⧆﹡'],

  // Symbols for a word have a plain form. A check mark has none: `v` has its shape and width, and claims nothing
  // that the sender did not write. Decision 0028.
  ['(TM)', '™'],
  ['(SM)', '℠'],
  ['(C)', '©'],
  ['(R)', '®'],
  ['v', '✓✔'],

  // Letter variants: small capitals, ligatures, and signs that are the letter itself.
  ['A', 'ᴀ'],
  ['B', 'ʙ'],
  ['C', 'ᴄ'],
  ['D', 'ᴅ'],
  ['E', 'ᴇ'],
  ['F', 'ꜰ'],
  ['G', 'ɢ'],
  ['H', 'ʜ'],
  ['I', 'ɪ'],
  ['J', 'ᴊ'],
  ['K', 'ᴋ\u212a'],
  ['L', 'ʟ'],
  ['M', 'ᴍ'],
  ['N', 'ɴ'],
  ['O', 'ᴏ'],
  ['P', 'ᴘ'],
  ['Q', 'ꞯ'],
  ['R', 'ʀ'],
  ['S', 'ꜱ'],
  ['T', 'ᴛ'],
  ['U', 'ᴜ'],
  ['V', 'ᴠ'],
  ['W', 'ᴡ'],
  ['Y', 'ʏ'],
  ['Z', 'ᴢ'],
  ['Æ', 'ᴁ'],
  ['Å', '\u212b'],
  ['Ω', '\u2126'],
  ['ff', 'ﬀ'],
  ['fi', 'ﬁ'],
  ['fl', 'ﬂ'],
  ['ffi', 'ﬃ'],
  ['ffl', 'ﬄ'],
  ['st', 'ﬅﬆ'],

  // Spaces: tab, vertical tab, no-break, the widths of U+2000 to U+200A, line and paragraph
  // separators.
  [' ', '\t\v\u00a0\u1680\u2028\u2029\u202f\u205f\u3000'],
  [' ', '\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a'],

  // Nothing: invisible characters. Joiners and variation selectors matter only next to emoji and scripts that keep
  // a text in UCS-2 anyway. Direction marks come with pasted phone numbers.
  ['', '\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\ufeff'],
  ['', unitsBetween(0x202a, 0x202e)],
  ['', unitsBetween(0x2061, 0x206f)],
  ['', unitsBetween(0xfe00, 0xfe0f)],
  ['', unitsBetween(0x00, 0x08) + unitsBetween(0x0e, 0x1f) + unitsBetween(0x7f, 0x7f)],
]

function unitsBetween(first: number, last: number): string {
  const units = Array.from({ length: last - first + 1 }, (_, i) => first + i)
  return String.fromCharCode(...units)
}
