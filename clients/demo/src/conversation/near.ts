/** Tells blocks whether they are near the part of a history that is seen: one observer for all of them. */

import { createContext } from "preact";

type Listener = (isNear: boolean, height: number) => void;

const NEAR_PX = 1200;

export interface NearWatch {
  start(root: HTMLElement): () => void;
  watch(element: HTMLElement, listener: Listener): () => void;
}

export function makeNearWatch(): NearWatch {
  const listeners = new Map<Element, Listener>();
  let observer: IntersectionObserver | undefined;
  return {
    start(root) {
      const tell = (entries: IntersectionObserverEntry[]): void => {
        for (const { target, isIntersecting, boundingClientRect } of entries) {
          listeners.get(target)?.(isIntersecting, boundingClientRect.height);
        }
      };
      observer = new IntersectionObserver(tell, { root, rootMargin: `${NEAR_PX}px 0px` });
      for (const element of listeners.keys()) observer.observe(element);
      return () => observer?.disconnect();
    },
    watch(element, listener) {
      listeners.set(element, listener);
      observer?.observe(element);
      return () => {
        observer?.unobserve(element);
        listeners.delete(element);
      };
    },
  };
}

export const NearContext = createContext<NearWatch>(makeNearWatch());
