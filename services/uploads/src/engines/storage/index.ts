export { storageCheck } from './check-storage.ts'
export { openStorage } from './open.ts'
export { type ByteRange, type ListedObject, type Storage, isOwnKey, storageKeys } from './storage.ts'
