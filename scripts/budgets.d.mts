export interface Budget {
  name: string
  measured: number
  read: () => number
}
export function report(budgets: readonly Budget[]): { text: string; isExceeded: boolean }
