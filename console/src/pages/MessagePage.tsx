// One message as a separate page, for narrow screens and shared links.

import { useParams } from '@tanstack/react-router'
import { ButtonLink } from '../ui/inputs/Button'
import { Card, Page } from '../ui/layout/Page'
import { MessageDetail } from './messages/MessageDetail'

export function MessagePage() {
  const { id } = useParams({ from: '/shell/messages/$id' })
  return (
    <Page title="Message" actions={<ButtonLink to="/messages">All messages</ButtonLink>}>
      <Card className="max-w-180">
        <MessageDetail key={id} id={id} />
      </Card>
    </Page>
  )
}
