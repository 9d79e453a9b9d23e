import { quoted, type GuideValues } from './guide-values.ts'

/** The line that installs what the example imports. */
export const GO_INSTALL = 'go get golang.org/x/oauth2'

/** A program for an API key, with golang.org/x/oauth2. */
export function goForKey(values: GuideValues): string {
  const { clientId, tokenAddress, readAddress } = values
  const config = `	config := clientcredentials.Config{
		ClientID:     ${quoted(clientId)},
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		TokenURL:     ${quoted(tokenAddress)},
	}`
  if (readAddress === undefined) {
    return `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"golang.org/x/oauth2/clientcredentials"
)

func main() {
${config}
	token, err := config.Token(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(token.Extra("scope"))
}
`
  }
  return `package main

import (
	"context"
	"io"
	"log"
	"os"

	"golang.org/x/oauth2/clientcredentials"
)

func main() {
${config}
	// The client gets a new token when the old one has expired.
	client := config.Client(context.Background())
	response, err := client.Get(${quoted(readAddress)})
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	log.Println(response.Status)
	io.Copy(os.Stdout, response.Body)
}
`
}

/** Functions for an application, with golang.org/x/oauth2. */
export function goForApplication(values: GuideValues, redirectUri: string): string {
  const { clientId, authorizationAddress, tokenAddress, readAddress } = values
  const scopes = values.operations.map(({ scope }) => quoted(scope)).join(', ')
  const call =
    readAddress === undefined
      ? ''
      : `
// CallAPI refreshes an expired token by itself. Keep what source.Token() returns afterwards: the old refresh
// token is no longer valid.
func CallAPI(ctx context.Context, source oauth2.TokenSource) (*http.Response, error) {
	return oauth2.NewClient(ctx, source).Get(${quoted(readAddress)})
}
`
  return `package connect

import (
	"context"
	"crypto/rand"
${readAddress === undefined ? '' : '	"net/http"\n'}	"os"

	"golang.org/x/oauth2"
)

var config = oauth2.Config{
	ClientID:     ${quoted(clientId)},
	ClientSecret: os.Getenv("CLIENT_SECRET"),
	RedirectURL:  ${quoted(redirectUri)},
	Scopes:       []string{${scopes}},
	Endpoint: oauth2.Endpoint{
		AuthURL:  ${quoted(authorizationAddress)},
		TokenURL: ${quoted(tokenAddress)},
	},
}

// Connect returns the address to which you redirect the browser of the user. Keep state and verifier in the
// session of the user.
func Connect() (address, state, verifier string) {
	state, verifier = rand.Text(), oauth2.GenerateVerifier()
	return config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), state, verifier
}

// Finish gets the tokens at the redirect URI. Compare the parameter state with the state in the session first.
func Finish(ctx context.Context, code, verifier string) (oauth2.TokenSource, error) {
	token, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return nil, err
	}
	return config.TokenSource(ctx, token), nil
}
${call}`
}
