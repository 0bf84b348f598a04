// The types of npm `smpp` that tests need. The package has none.

declare module 'smpp' {
  import type { EventEmitter } from 'node:events'
  import type { Server as NetServer } from 'node:net'

  export interface Message {
    udh?: Buffer | Buffer[]
    message: string | Buffer
  }

  export interface Pdu {
    command: string
    command_status: number
    sequence_number: number
    system_id?: string
    password?: string
    message_id?: string
    source_addr?: string
    destination_addr?: string
    esm_class?: number
    data_coding?: number
    registered_delivery?: number
    message_state?: number
    receipted_message_id?: string
    short_message?: Message
    message_payload?: Message
    sar_msg_ref_num?: number
    sar_total_segments?: number
    sar_segment_seqnum?: number
    response: (fields?: Record<string, unknown>) => Pdu
  }

  export type Fields = Record<string, unknown>
  export type Answered = (pdu: Pdu) => void

  export interface Session extends EventEmitter {
    bind_transceiver: (fields: Fields, answered: Answered) => boolean
    bind_transmitter: (fields: Fields, answered: Answered) => boolean
    bind_receiver: (fields: Fields, answered: Answered) => boolean
    submit_sm: (fields: Fields, answered: Answered) => boolean
    deliver_sm: (fields: Fields, answered: Answered) => boolean
    query_sm: (fields: Fields, answered: Answered) => boolean
    enquire_link: (answered: Answered) => boolean
    unbind: (answered: Answered) => boolean
    send: (pdu: Pdu) => boolean
    close: () => void
    destroy: () => void
  }

  const smpp: {
    connect: (options: Fields) => Session
    createServer: (onSession: (session: Session) => void) => NetServer
  }
  export default smpp
}
