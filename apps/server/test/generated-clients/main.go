// Uses a client made by oapi-codegen; prints what it met as JSON.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"regexp"

	"petstore/client"
)

var next = regexp.MustCompile(`[?&]cursor=([^&>]+)[^>]*>; rel="next"`)

func connect(key string) *client.ClientWithResponses {
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	}
	connected, err := client.NewClientWithResponses(os.Getenv("BASE_URL"), client.WithRequestEditorFn(withKey))
	must(err)
	return connected
}

func main() {
	background := context.Background()
	pets := connect(os.Getenv("API_KEY"))
	met := map[string]any{}

	sold := client.Sold
	for _, pet := range []client.NewPet{
		{Name: "Rex", CategoryId: 1},
		{Name: "Mia", CategoryId: 1, Status: &sold},
		{Name: "Zoë 🐈", CategoryId: 1, Status: &sold},
	} {
		_, err := pets.CreatePetWithResponse(background, nil, pet)
		must(err)
	}
	key := "one-key"
	tim := client.NewPet{Name: "Tim", CategoryId: 2}
	var again []*client.CreatePetResponse
	for range 2 {
		added, err := pets.CreatePetWithResponse(background, &client.CreatePetParams{IdempotencyKey: &key}, tim)
		must(err)
		again = append(again, added)
	}
	met["created once"] = *again[0].JSON201 == *again[1].JSON201
	met["replayed"] = again[1].Headers201.IdempotencyReplayed
	met["request id"] = again[0].Headers201.XRequestId != nil

	filtered, err := pets.ListPetsWithResponse(background, &client.ListPetsParams{Status: &sold})
	must(err)
	met["sold"] = names(*filtered.JSON200)

	limit, cursor, all := 2, (*string)(nil), []string{}
	var tag *string
	for {
		page, err := pets.ListPetsWithResponse(background, &client.ListPetsParams{Limit: &limit, Cursor: cursor})
		must(err)
		all = append(all, names(*page.JSON200)...)
		tag = page.Headers200.ETag
		if page.Headers200.Link == nil {
			break
		}
		cursor = &next.FindStringSubmatch(*page.Headers200.Link)[1]
	}
	met["all"] = all

	unchanged, err := pets.ListPetsWithResponse(background, &client.ListPetsParams{Limit: &limit, Cursor: cursor, IfNoneMatch: tag})
	must(err)
	met["304"] = []any{unchanged.StatusCode(), nil}
	foreign := "abc"
	refused, err := pets.ListPetsWithResponse(background, &client.ListPetsParams{Cursor: &foreign})
	must(err)
	met["400"] = []any{refused.StatusCode(), refused.JSON400.Code}
	unknown, err := connect("wrong").ListPetsWithResponse(background, nil)
	must(err)
	met["401"] = []any{unknown.StatusCode(), unknown.JSON401.Code}
	missing, err := pets.GetPetWithResponse(background, 4711, nil)
	must(err)
	met["404"] = []any{missing.StatusCode(), missing.JSON404.Code}
	must(json.NewEncoder(os.Stdout).Encode(met))
}

func names(pets []client.Pet) []string {
	var found []string
	for _, pet := range pets {
		found = append(found, pet.Name)
	}
	return found
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
