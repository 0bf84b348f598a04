// The open delivery next to the list. Escape closes it and returns the focus to its row.

import { useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import type { Webhook } from '../../../generated/types.gen'
import { useKeys } from '../../lib/use-keys'
import { DeliveryDetail } from './DeliveryDetail'

export function DeliveryPanel({ webhook, deliveryId }: { webhook: Webhook; deliveryId: string }) {
  const navigate = useNavigate()
  const close = () => {
    document.querySelector<HTMLElement>('[data-row-link][aria-current]')?.focus()
    void navigate({
      to: '/webhooks/$id',
      params: { id: webhook.id },
      search: (now: object) => now,
      resetScroll: false,
    })
  }
  useKeys({ Escape: close })
  return (
    <aside
      aria-label="Delivery details"
      className="sticky top-10 max-h-[calc(100dvh-3.5rem)] overflow-y-auto rounded-lg border border-line bg-surface p-4"
    >
      <button
        type="button"
        onClick={close}
        aria-label="Close"
        className="absolute top-3 right-3 inline-flex size-8 cursor-pointer items-center justify-center rounded-md text-ink-2 hover:bg-hover pointer-coarse:size-11"
      >
        <X size={16} aria-hidden="true" />
      </button>
      <DeliveryDetail key={deliveryId} webhook={webhook} deliveryId={deliveryId} />
    </aside>
  )
}
