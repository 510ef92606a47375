import { getContext, setContext } from 'svelte'
import type { Chat } from '../../sync/chat.ts'

const key = Symbol('chat')

/** Provides the chat to all components below. */
export const provideChat = (chat: Chat): Chat => setContext(key, chat)

/** The chat that a component above has provided. */
export const useChat = (): Chat => getContext(key)
