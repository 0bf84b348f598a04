// A page that could not be shown, and an address that leads nowhere.

import type { ErrorComponentProps } from '@tanstack/react-router'
import { ButtonLink } from './Button'
import { ErrorNotice } from './Notice'
import { Empty, Page } from './Page'

export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page could not be shown">
      <ErrorNotice error={error} onRetry={reset} />
    </Page>
  )
}

export function NotFound() {
  return (
    <Page title="Nothing here">
      <Empty
        title="This address leads nowhere."
        actions={
          <ButtonLink look="filled" to="/">
            To the beginning
          </ButtonLink>
        }
      >
        The page may have another address now.
      </Empty>
    </Page>
  )
}
