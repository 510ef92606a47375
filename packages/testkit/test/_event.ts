import { create, toBinary } from '@bufbuild/protobuf'
import { EventBatchSchema } from '@parley/contracts/internal'

export function encodeEvent(id: string): Uint8Array {
  return toBinary(EventBatchSchema, create(EventBatchSchema, { events: [{ id }] }))
}
