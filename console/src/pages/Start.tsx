// Placeholder until the page exists.
import { Page } from '../ui/Page'
export function Start() {
  return <Page title="Send your first text">…</Page>
}
