// A URL that someone typed: a link if it is http(s), otherwise plain text.

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
