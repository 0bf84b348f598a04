// The logo: a reseller's, or ours. The address for help, if there is one.

import { useBranding } from '../../api/branding'

export function Mark({ size = 20 }: { size?: number }) {
  const logoUrl = useBranding()?.logoUrl
  if (logoUrl) {
    return (
      <img
        src={logoUrl}
        alt=""
        width={size}
        height={size}
        className="shrink-0 rounded-sm object-contain"
      />
    )
  }
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 32 32"
      aria-hidden="true"
      className="shrink-0 text-accent"
    >
      <rect width="32" height="32" rx="8" fill="currentColor" />
      <path d="M8 9h16v11H15l-5 4v-4H8z" className="fill-on-accent" />
    </svg>
  )
}

export function SupportLine() {
  const support = useBranding()?.support
  if (!support) return null
  const isWeb = support.startsWith('https://')
  return (
    <p className="text-sm text-ink-2 wrap-anywhere">
      Need help?{' '}
      <a
        href={isWeb ? support : `mailto:${support}`}
        rel="noreferrer noopener"
        className="inline-flex items-center text-accent-ink underline pointer-coarse:min-h-11"
      >
        {isWeb ? support.slice('https://'.length) : support}
      </a>
    </p>
  )
}
