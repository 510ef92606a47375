export { derivedId, dmRoomId, newId, type IdKind } from './id.ts'
export { idempotencyKeyPattern, newHandle, newToken, type TokenKind } from './token.ts'
