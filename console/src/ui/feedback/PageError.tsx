// A page that failed to render, and a URL that matches no page: inside the frame of the other pages, or alone, where
// they bring their own main landmark.

import type { ErrorComponentProps } from '@tanstack/react-router'
import { ButtonLink } from '../inputs/Button'
import { Empty, Page } from '../layout/Page'
import { ErrorNotice } from './Notice'

export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="Something went wrong">
      <ErrorNotice error={error} onRetry={reset} />
    </Page>
  )
}

export function LonePageError(props: ErrorComponentProps) {
  return (
    <main id="main">
      <PageError {...props} />
    </main>
  )
}

export function LoneNotFound() {
  return (
    <main id="main">
      <NotFound />
    </main>
  )
}

export function NotFound() {
  return (
    <Page title="Page not found">
      <Empty
        title="This page does not exist"
        actions={
          <ButtonLink look="filled" to="/">
            Go to the home page
          </ButtonLink>
        }
      >
        The page may have moved, or the URL is incorrect.
      </Empty>
    </Page>
  )
}
