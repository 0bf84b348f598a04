// An address that somebody typed: a link where it leads to the web, else the text that it is.

export function Outside({ address }: { address: string }) {
  if (!/^https?:\/\//i.test(address)) return address || <span className="text-ink-3">–</span>
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      className="text-accent-ink underline wrap-anywhere"
    >
      {address}
    </a>
  )
}
