// The Longcode logo.

export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="text-accent">
      <rect width="32" height="32" rx="8" fill="currentColor" />
      <path d="M8 9h16v11H15l-5 4v-4H8z" className="fill-on-accent" />
    </svg>
  )
}
