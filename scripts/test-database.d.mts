export interface TestDatabase {
  url: string
  dataDir: string
  stop: () => Promise<void>
}

export function startTestDatabase(): Promise<TestDatabase>
export function testFiles(): string[]
export function filesBelow(folder: string): string[]
