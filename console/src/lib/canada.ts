// Which +1 numbers are Canadian, by area code: they look like US numbers, and campaigns of US brands do not send from
// them. test/canadian-codes.test.ts compares this list with the service's.

const CANADIAN_CODES: ReadonlySet<string> = new Set(
  '204 226 236 249 250 257 263 289 306 343 354 365 367 368 382 403 416 418 428 431 437 438 450 468 474 506 514 519 548 579 581 584 587 604 613 639 647 672 683 705 709 742 753 778 780 782 807 819 825 867 873 879 902 905 942'.split(
    ' ',
  ),
)

export function isCanadianCode(areaCode: number | string): boolean {
  return CANADIAN_CODES.has(String(areaCode))
}

/** A number with its country code. */
export function isCanadianNumber(phone: string): boolean {
  return phone.startsWith('+1') && isCanadianCode(phone.slice(2, 5))
}
