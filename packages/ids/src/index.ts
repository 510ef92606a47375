export { derivedId, dmRoomId, newId, unkeyedDmRoomId, type IdKind } from './id.ts'
export { newHandle, newToken, type TokenKind } from './token.ts'
