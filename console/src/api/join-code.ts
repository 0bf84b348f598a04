// The code of an invitation, taken from the address before the page starts.

let joinCode: string | null = null

export function setJoinCode(code: string | null): void {
  joinCode = code
}

export function takenJoinCode(): string | null {
  return joinCode
}
