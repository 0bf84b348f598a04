export interface TestDatabase {
  url: string
  /** The migrated database that each test clones. Connect only while no test runs. */
  template: string
  env: Record<string, string>
  dataDir: string
  stop: () => Promise<void>
}

export class UnusableServer extends Error {}
export function startTestDatabase(options?: { isOnCitus?: boolean }): Promise<TestDatabase>
export function testFiles(): string[]
export function filesBelow(folder: string): string[]
