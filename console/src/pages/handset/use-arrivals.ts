// Effects of a new message outside its phone: a soft sound if it is on, and a count in the tab title while the tab
// is hidden.

import { useEffect, useState } from 'react'

const PLACE = 'longcode:handset-sound'

export interface Arrivals {
  isLoud: boolean
  setLoud: (isLoud: boolean) => void
  arrive: () => void
}

export function useArrivals(title: string): Arrivals {
  const [isLoud, setLoud] = useState(readLoud)
  const [unseen, setUnseen] = useState(0)
  useEffect(() => {
    const look = () => {
      if (!document.hidden) setUnseen(0)
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  useEffect(() => {
    document.title = `${unseen > 0 ? `(${unseen}) ` : ''}${title} · Longcode`
  }, [unseen, title])
  return {
    isLoud,
    setLoud: (next) => {
      setLoud(next)
      keepLoud(next)
      if (next) tick()
    },
    arrive: () => {
      if (isLoud) tick()
      if (document.hidden) setUnseen((count) => count + 1)
    },
  }
}

let sound: AudioContext | null = null

/** A short fading tone, without a file. */
function tick(): void {
  try {
    sound ??= new AudioContext()
    const tone = sound.createOscillator()
    const volume = sound.createGain()
    const now = sound.currentTime
    tone.frequency.value = 880
    volume.gain.setValueAtTime(0.06, now)
    volume.gain.exponentialRampToValueAtTime(0.0001, now + 0.12)
    tone.connect(volume).connect(sound.destination)
    tone.start(now)
    tone.stop(now + 0.12)
  } catch {
    // A browser without sound still shows the phone buzz.
  }
}

function readLoud(): boolean {
  try {
    return localStorage.getItem(PLACE) === 'on'
  } catch {
    return false
  }
}

function keepLoud(isLoud: boolean): void {
  try {
    localStorage.setItem(PLACE, isLoud ? 'on' : 'off')
  } catch {
    // Without storage, the setting applies until the page is closed.
  }
}
