interface Listener {
  deliver(message: string): void
  missed(): void
}

/** The listeners in this process. Each is called asynchronously, so its failure affects nothing else. */
export function createChannelListeners() {
  const channels = new Map<string, Set<Listener>>()

  return {
    channels: (): readonly string[] => [...channels.keys()],

    deliver(channel: string, message: string): void {
      for (const listener of channels.get(channel) ?? []) listener.deliver(message)
    },

    notifyMissed(): void {
      for (const listener of [...channels.values()].flatMap((all) => [...all])) listener.missed()
    },

    add(channel: string, onMessage: (message: string) => void, onMissed = () => {}) {
      const listeners = channels.get(channel) ?? new Set()
      channels.set(channel, listeners)
      const notify = (call: () => void) => {
        Promise.resolve()
          .then(() => (listeners.has(listener) ? call() : undefined))
          .catch(() => {})
      }
      const listener = {
        deliver: (message: string) => notify(() => onMessage(message)),
        missed: () => notify(onMissed),
      }
      listeners.add(listener)
      return {
        isListening: () => listeners.has(listener),
        /** @returns whether the channel has lost its last listener */
        remove(): boolean {
          listeners.delete(listener)
          if (listeners.size > 0 || channels.get(channel) !== listeners) return false
          return channels.delete(channel)
        },
      }
    },

    clear(): void {
      for (const listeners of channels.values()) listeners.clear()
      channels.clear()
    },
  }
}
