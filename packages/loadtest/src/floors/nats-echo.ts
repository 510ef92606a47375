import { connect } from 'nats'

// The other end of the raw NATS floor: answers what it is asked, in a process of its own.
const bus = await connect({ servers: process.argv[2] ?? '' })
bus.subscribe('floor.echo', { queue: 'floor', callback: (_, message) => void message.respond(message.data) })
await bus.flush()
process.send?.('ready')
