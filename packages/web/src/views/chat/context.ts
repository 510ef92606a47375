import { getContext, setContext } from 'svelte'
import type { Chat } from '../../sync/chat.ts'

const key = Symbol('chat')

export const provideChat = (chat: Chat): Chat => setContext(key, chat)

export const useChat = (): Chat => getContext(key)
